/// The version of this interface. It rises with each change of a declaration in this file; a program
/// compares it with earlydrop_abi_version().
pub const EARLYDROP_ABI_VERSION: u32 = 1;
