//! Requeues a keyring 250 ms after each reconcile.
//!
//! Wrong: changes to everything it depends on already trigger a reconcile, and a complete keyring is reconciled forever.

use std::time::Duration;

use kube::runtime::controller::Action;

use crate::common::Steps;

pub struct RequeuesAlways;

impl Steps for RequeuesAlways {
    fn afterwards() -> Action {
        Action::requeue(Duration::from_millis(250))
    }
}
