//! The Keyring resource. Its CRD must be installed already; nothing is generated from these types.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The desired state.
#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "security.example.com", version = "v1", kind = "Keyring", namespaced, status = "KeyringStatus", schema = "disabled")]
#[serde(rename_all = "camelCase")]
pub struct KeyringSpec {
    pub keys: usize,
    pub algorithm: Option<String>,
}

impl Keyring {
    pub fn algorithm(&self) -> &str {
        self.spec.algorithm.as_deref().unwrap_or("ed25519")
    }
}

/// The observed state.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyringStatus {
    pub observed_generation: Option<i64>,
    pub keys: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked_at: Option<String>,
    #[serde(default)]
    pub conditions: Vec<Condition>,
}
