//! What all variants of the keyring controller share: the resource, the caches and watches, and the order of a reconcile.

mod backoff;
mod keyring;
mod reconcile;
mod run;

pub use keyring::{Keyring, KeyringStatus};
pub use reconcile::{Error, Outcome, Steps, World, act, owner_of};
pub use run::run;
