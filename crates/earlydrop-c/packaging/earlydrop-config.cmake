# Targets: earlydrop::earlydrop, the shared library; earlydrop::static.
get_filename_component(earlydrop_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET earlydrop::earlydrop)
    add_library(earlydrop::earlydrop SHARED IMPORTED)
    set_target_properties(earlydrop::earlydrop PROPERTIES
        IMPORTED_LOCATION "${earlydrop_prefix}/lib/${CMAKE_SHARED_LIBRARY_PREFIX}earlydrop${CMAKE_SHARED_LIBRARY_SUFFIX}"
        INTERFACE_INCLUDE_DIRECTORIES "${earlydrop_prefix}/include")
    if(NOT APPLE)
        set_target_properties(earlydrop::earlydrop PROPERTIES IMPORTED_SONAME "libearlydrop.so.@abi@")
    endif()
    add_library(earlydrop::static STATIC IMPORTED)
    set_target_properties(earlydrop::static PROPERTIES
        IMPORTED_LOCATION "${earlydrop_prefix}/lib/libearlydrop.a"
        INTERFACE_INCLUDE_DIRECTORIES "${earlydrop_prefix}/include"
        INTERFACE_LINK_LIBRARIES "gcc_s;pthread;m;dl")
endif()
