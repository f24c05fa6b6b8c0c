//! The correct keyring controller.
//!
//! Keys have fixed names, so a second create of the same one fails, even if the store is stale; the finalizer is added and removed by JSON
//! patches that test the list they start from; an apply contains only what the controller owns; every error, conflicts included, is retried
//! with back-off.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta, Time};
use k8s_openapi::jiff::Timestamp;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams, Preconditions};
use kube::runtime::controller::Action;
use kube::runtime::finalizer::finalizer;
use kube::{Resource, ResourceExt};
use serde_json::json;

use crate::common::{Error, Keyring, KeyringStatus, Outcome, Steps, World, act, owner_of};

pub const FINALIZER: &str = "security.example.com/revoke";
pub const MANAGER: &str = "keyrings";

pub struct Correct;

impl Steps for Correct {}

pub async fn hold<S: Steps>(keyring: Arc<Keyring>, world: &World) -> Result<Action, Error> {
    finalizer(&world.keyrings, FINALIZER, keyring, |event| act::<S>(event, world))
        .await
        .map_err(|error| Error::Finalizer(Box::new(error)))
}

pub async fn issue(keyring: &Keyring, world: &World) -> Outcome {
    let wanted: Vec<String> = (0..keyring.spec.keys).map(|index| format!("{}-key-{index}", keyring.name_any())).collect();
    let there = world.keys_of(keyring);
    for name in &wanted {
        // A terminating key keeps its name until it is deleted, and the deletion triggers a reconcile.
        if there.iter().any(|key| key.name_any() == *name) {
            continue;
        }
        let mut key = new_key(keyring);
        key.metadata.name = Some(name.clone());
        world.secrets.create(&PostParams::default(), &key).await?;
    }
    for key in there.iter().filter(|key| !wanted.contains(&key.name_any())) {
        revoke(key, world).await?;
    }
    Ok(())
}

/// A new key, without a name.
pub fn new_key(keyring: &Keyring) -> Secret {
    Secret {
        metadata: ObjectMeta { owner_references: Some(owner_of(keyring)), ..ObjectMeta::default() },
        string_data: Some([("purpose".to_owned(), "signing".to_owned())].into()),
        ..Secret::default()
    }
}

/// Deletes a key. The UID precondition protects a new key with the same name.
pub async fn revoke(key: &Secret, world: &World) -> Outcome {
    if key.metadata.deletion_timestamp.is_some() {
        return Ok(());
    }
    let only = Preconditions { uid: key.uid(), ..Preconditions::default() };
    let params = DeleteParams { preconditions: Some(only), ..DeleteParams::default() };
    match world.secrets.delete(&key.name_any(), &params).await {
        Ok(_) => Ok(()),
        Err(kube::Error::Api(status)) if status.is_not_found() => Ok(()),
        Err(error) => Err(error.into()),
    }
}

pub async fn publish(keyring: &Keyring, world: &World) -> Outcome {
    let name = format!("{}-public", keyring.name_any());
    let public = ConfigMap {
        metadata: ObjectMeta { name: Some(name.clone()), owner_references: Some(owner_of(keyring)), ..ObjectMeta::default() },
        data: Some(public_data(keyring)),
        ..ConfigMap::default()
    };
    world.config_maps.patch(&name, &PatchParams::apply(MANAGER).force(), &Patch::Apply(&public)).await?;
    Ok(())
}

/// The public data of a keyring.
pub fn public_data(keyring: &Keyring) -> std::collections::BTreeMap<String, String> {
    [
        ("algorithm".to_owned(), keyring.algorithm().to_owned()),
        ("keys".to_owned(), keyring.spec.keys.to_string()),
    ]
    .into()
}

pub async fn report(keyring: &Keyring, world: &World) -> Outcome {
    let status = status_of(keyring, world);
    let same = keyring.status.as_ref().is_some_and(|old| {
        (old.observed_generation, old.keys) == (status.observed_generation, status.keys)
            && status.conditions.iter().all(|condition| old.conditions.contains(condition))
    });
    if same { Ok(()) } else { write_status(keyring, &status, world).await }
}

/// The status of a keyring, from its spec and the keys in the store.
pub fn status_of(keyring: &Keyring, world: &World) -> KeyringStatus {
    let keys = world.keys_of(keyring).iter().filter(|key| key.metadata.deletion_timestamp.is_none()).count();
    let ready = if keys == keyring.spec.keys { "True" } else { "False" };
    let old = keyring.status.iter().flat_map(|status| &status.conditions).find(|condition| condition.type_ == "Ready");
    let since = match old {
        Some(old) if old.status == ready => old.last_transition_time.clone(),
        _ => Time(Timestamp::from_second(Timestamp::now().as_second()).expect("a whole second is a time")),
    };
    let condition = Condition {
        type_: "Ready".to_owned(),
        status: ready.to_owned(),
        reason: "Issued".to_owned(),
        message: format!("{keys} of {} keys", keyring.spec.keys),
        observed_generation: keyring.metadata.generation,
        last_transition_time: since,
    };
    KeyringStatus {
        observed_generation: keyring.metadata.generation,
        keys: Some(keys),
        checked_at: None,
        conditions: vec![condition],
    }
}

/// Applies the status. Conditions of other managers in the same list are kept.
pub async fn write_status(keyring: &Keyring, status: &KeyringStatus, world: &World) -> Outcome {
    let body = json!({ "apiVersion": Keyring::api_version(&()), "kind": Keyring::kind(&()), "status": status });
    let params = PatchParams::apply(MANAGER).force();
    world.keyrings.patch_status(&keyring.name_any(), &params, &Patch::Apply(&body)).await?;
    Ok(())
}
