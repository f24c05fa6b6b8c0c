//! The Bucket resource. Its CRD must be installed already; nothing is generated from these types.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The desired state.
#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "storage.example.com", version = "v1", kind = "Bucket", namespaced, status = "BucketStatus", schema = "disabled")]
#[serde(rename_all = "camelCase")]
pub struct BucketSpec {
    #[serde(rename = "sizeGiB")]
    pub size_gib: i64,
    pub region: Option<String>,
}

/// The observed state.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BucketStatus {
    pub observed_generation: Option<i64>,
    pub endpoint: Option<String>,
    #[serde(default)]
    pub conditions: Vec<Condition>,
}
