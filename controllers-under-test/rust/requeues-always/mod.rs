//! Asks for another reconcile a quarter of a second after each one.
//!
//! Wrong: it is woken by everything that it depends on anyway, and a keyring that is complete is looked at for ever.

use std::time::Duration;

use kube::runtime::controller::Action;

use crate::common::Steps;

pub struct RequeuesAlways;

impl Steps for RequeuesAlways {
    fn afterwards() -> Action {
        Action::requeue(Duration::from_millis(250))
    }
}
