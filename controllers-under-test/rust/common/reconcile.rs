//! The order of a reconcile, and the steps that a variant can replace. By default each step is the one of `correct`.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::runtime::controller::Action;
use kube::runtime::finalizer::{self, Event};
use kube::runtime::reflector::Store;
use kube::runtime::reflector::store::WriterDropped;
use kube::{Api, Resource, ResourceExt};

use super::Keyring;
use super::backoff::Backoff;
use crate::correct;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("request: {0}")]
    Request(#[from] kube::Error),
    #[error("finalizer: {0}")]
    Finalizer(#[from] Box<finalizer::Error<Error>>),
    #[error("the store will not be filled any more: {0}")]
    Store(#[from] WriterDropped),
}

pub type Outcome = Result<(), Error>;

/// What a reconcile works with. The store holds what its watch has delivered, so it may be stale.
pub struct World {
    pub keyrings: Api<Keyring>,
    pub secrets: Api<Secret>,
    pub config_maps: Api<ConfigMap>,
    pub issued: Store<Secret>,
    pub(super) backoff: Backoff,
}

impl World {
    /// The keys of this keyring, not those of an earlier keyring with the same name.
    pub fn keys_of(&self, keyring: &Keyring) -> Vec<Arc<Secret>> {
        let uid = keyring.uid();
        let owned = |secret: &Secret| secret.owner_references().iter().any(|owner| Some(&owner.uid) == uid.as_ref());
        self.issued.state().into_iter().filter(|secret| owned(secret)).collect()
    }
}

/// The steps of a reconcile.
pub trait Steps: Send + Sync + Sized + 'static {
    /// Adds the finalizer to a keyring, and removes it once its keys are revoked.
    fn hold(keyring: Arc<Keyring>, world: &World) -> impl Future<Output = Result<Action, Error>> + Send {
        correct::hold::<Self>(keyring, world)
    }

    /// Creates and revokes keys.
    fn issue(keyring: &Keyring, world: &World) -> impl Future<Output = Outcome> + Send {
        correct::issue(keyring, world)
    }

    /// Applies the ConfigMap with the algorithm and the number of keys.
    fn publish(keyring: &Keyring, world: &World) -> impl Future<Output = Outcome> + Send {
        correct::publish(keyring, world)
    }

    /// Writes the status.
    fn report(keyring: &Keyring, world: &World) -> impl Future<Output = Outcome> + Send {
        correct::report(keyring, world)
    }

    /// What to do after a successful reconcile.
    fn afterwards() -> Action {
        Action::await_change()
    }

    /// What to do after a failed one; `pause` is longer each time.
    fn after_error(pause: Duration) -> Action {
        Action::requeue(pause)
    }
}

pub async fn reconcile<S: Steps>(keyring: Arc<Keyring>, world: Arc<World>) -> Result<Action, Error> {
    // The controller waits only for the list of keyrings; an empty store would look like a keyring without keys.
    world.issued.wait_until_ready().await?;
    let action = S::hold(keyring.clone(), &world).await?;
    world.backoff.succeeded(&keyring);
    Ok(action)
}

pub fn on_error<S: Steps>(keyring: Arc<Keyring>, _error: &Error, world: Arc<World>) -> Action {
    S::after_error(world.backoff.failed(&keyring))
}

/// Reconciles a keyring that has the finalizer, or cleans up after it.
pub async fn act<S: Steps>(event: Event<Keyring>, world: &World) -> Result<Action, Error> {
    match event {
        Event::Apply(keyring) => {
            S::issue(&keyring, world).await?;
            S::publish(&keyring, world).await?;
            S::report(&keyring, world).await?;
            Ok(S::afterwards())
        }
        Event::Cleanup(keyring) => {
            for key in world.keys_of(&keyring) {
                correct::revoke(&key, world).await?;
            }
            Ok(Action::await_change())
        }
    }
}

/// The owner reference that makes the keyring the controller of an object.
pub fn owner_of(keyring: &Keyring) -> Vec<k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference> {
    keyring.controller_owner_ref(&()).into_iter().collect()
}
