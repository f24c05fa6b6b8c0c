//! Reconciles Keyrings with kube-rs. The first argument is the name of a variant, which is that of its folder.

mod common;
mod correct;
#[path = "duplicates-on-stale-store/mod.rs"]
mod duplicates_on_stale_store;
#[path = "forces-apply/mod.rs"]
mod forces_apply;
#[path = "gives-up-on-error/mod.rs"]
mod gives_up_on_error;
#[path = "merges-finalizers/mod.rs"]
mod merges_finalizers;
#[path = "requeues-always/mod.rs"]
mod requeues_always;
#[path = "stamps-status/mod.rs"]
mod stamps_status;
#[path = "unwraps-conflict/mod.rs"]
mod unwraps_conflict;

use common::run;

#[tokio::main]
async fn main() -> Result<(), kube::Error> {
    let variant = std::env::args().nth(1).unwrap_or_default();
    match variant.as_str() {
        "correct" => run::<correct::Correct>().await,
        "duplicates-on-stale-store" => run::<duplicates_on_stale_store::DuplicatesOnStaleStore>().await,
        "forces-apply" => run::<forces_apply::ForcesApply>().await,
        "gives-up-on-error" => run::<gives_up_on_error::GivesUpOnError>().await,
        "merges-finalizers" => run::<merges_finalizers::MergesFinalizers>().await,
        "requeues-always" => run::<requeues_always::RequeuesAlways>().await,
        "stamps-status" => run::<stamps_status::StampsStatus>().await,
        "unwraps-conflict" => run::<unwraps_conflict::UnwrapsConflict>().await,
        _ => {
            eprintln!("got \"{variant}\", expected the name of a variant's folder");
            std::process::exit(2);
        }
    }
}
