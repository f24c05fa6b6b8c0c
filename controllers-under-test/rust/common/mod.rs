//! What all variants of the keyring controller share: the kind, the caches and what wakes them, and the frame of a reconcile.

mod backoff;
mod keyring;
mod reconcile;
mod run;

pub use keyring::{Keyring, KeyringStatus};
pub use reconcile::{Error, Outcome, Steps, World, act, owner_of};
pub use run::run;
