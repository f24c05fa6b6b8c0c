//! The error policy, with the parameters of this release.

use std::sync::Arc;
use std::time::Duration;

use kube::runtime::controller::Action;

pub fn on_error<E, C>(_: &E, _: Arc<C>) -> Action {
    Action::requeue(Duration::from_secs(1))
}
