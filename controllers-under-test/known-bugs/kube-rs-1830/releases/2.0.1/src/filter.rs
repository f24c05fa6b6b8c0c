//! The filter, as this release must call it.

use std::hash::Hash;

use futures::Stream;
use kube::Resource;
use kube::runtime::{WatchStreamExt, predicates, watcher};

pub fn by_generation<K: Resource + 'static>(
    objects: impl Stream<Item = Result<K, watcher::Error>>,
) -> impl Stream<Item = Result<K, watcher::Error>>
where
    K::DynamicType: Default + Eq + Hash,
{
    objects.predicate_filter(predicates::generation)
}
