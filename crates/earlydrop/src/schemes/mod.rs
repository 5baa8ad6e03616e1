//! Every built-in scheme, one file each.
//!
//! To add one, write its file and add its line to `schemes!`; a scheme with a state of
//! its own also to `every_aqm!` in `any/mod.rs`. It then appears in the command line, the
//! scenario format, the documentation, the property tests and the reports. The schemes of
//! the RED family have their files in `red/variants/`.
//!
//! A program's own scheme needs no line here: see [`Registry`].

pub mod blue;
pub mod cake;
pub mod cobalt;
pub mod codel;
pub(crate) mod common;
mod departure_delay;
pub mod dial;
pub mod droptail;
pub mod drr;
pub mod dual_curvy_red;
pub mod dualpi2;
pub(crate) mod flow_queues;
pub mod fq_codel;
pub mod fq_pie;
pub mod fq_red;
pub mod pi;
pub mod pi2;
pub mod pi_controller;
pub mod pie;
pub mod rem;
pub mod sfb;
pub mod sfq;
pub mod sred;
pub mod step;
pub mod wred;

pub use crate::any::{AnyAqm, BoxedAqm};
pub use crate::red::variants::{
    ared, choke, clred, curvy_red, dsred, feng, fred, fxred, gred, ired, lru_red, mred, nlred,
    rared, red, red_e, red_ql, restraint, sfred, smred, tred,
};

use crate::registry::{Descriptor, Registry};

/// Lists the schemes, and the documentation at the beginning of their files for the manual.
macro_rules! schemes {
    ($($module:ident in $folder:literal),+ $(,)?) => {
        /// Every built-in scheme, in the order pages and command lines show them.
        pub static SCHEMES: &[&Descriptor] = &[$(&$module::SCHEME),+];

        /// Every scheme's name, and the lines of documentation that its file begins with.
        #[cfg(feature = "manual")]
        pub(crate) const DOCUMENTED: &[(&str, &str)] = &[
            $((
                $module::SCHEME.name,
                crate::documentation!(concat!($folder, stringify!($module), ".rs"))
            )),+
        ];
    };
}

schemes! {
    droptail in "",
    red in "../red/variants/",
    gred in "../red/variants/",
    dsred in "../red/variants/",
    nlred in "../red/variants/",
    mred in "../red/variants/",
    clred in "../red/variants/",
    tred in "../red/variants/",
    smred in "../red/variants/",
    red_ql in "../red/variants/",
    ired in "../red/variants/",
    fxred in "../red/variants/",
    red_e in "../red/variants/",
    curvy_red in "../red/variants/",
    ared in "../red/variants/",
    feng in "../red/variants/",
    restraint in "../red/variants/",
    rared in "../red/variants/",
    sfred in "../red/variants/",
    lru_red in "../red/variants/",
    fred in "../red/variants/",
    choke in "../red/variants/",
    wred in "",
    rem in "",
    blue in "",
    sfb in "",
    sred in "",
    pi in "",
    pie in "",
    pi2 in "",
    dualpi2 in "",
    dual_curvy_red in "",
    codel in "",
    cobalt in "",
    fq_codel in "",
    fq_pie in "",
    fq_red in "",
    cake in "",
    drr in "",
    sfq in "",
    step in "",
    dial in "",
}

impl Registry {
    /// The built-in schemes.
    pub const fn built_in() -> Registry {
        Registry::of(SCHEMES)
    }
}
