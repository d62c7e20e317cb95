/**
 * Dense integer ids, branded so that a task cannot be passed for a node. Job and task ids are column indices and are reused after their job has
 * ended; `WorkView.rank` is the number that never repeats.
 */
declare const brand: unique symbol
type Id<K extends string> = number & { readonly [brand]: K }

/** A node: an index into the cluster's description, from 0. */
export type NodeId = Id<'node'>
/** A job in the system; ids of ended jobs are reused. */
export type JobId = Id<'job'>
/** A task of a job in the system; ids are reused. */
export type TaskId = Id<'task'>
/** Index into `ClusterView.resources`. */
export type ResourceId = Id<'resource'>
/** Index into `ClusterView.lanes`. */
export type LaneId = Id<'lane'>
/** An interned queue (pool) path such as `root.ads`. */
export type QueueId = Id<'queue'>
/** An interned user name. */
export type UserId = Id<'user'>
/** An interned demand vector with its constraints: jobs of one shape ask for the same amounts and may run on the same nodes. */
export type ShapeId = Id<'shape'>
/** A point in an open round to roll back to; meaningless after the round. */
export type Savepoint = Id<'savepoint'>

/** Seconds in a 64-bit float; the only unit of time. */
export type Seconds = number

/** "There is none": the id that no node, job or task has. */
export const None = -1
export type None = -1
