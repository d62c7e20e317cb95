import type { NodeId } from '@sched/core'

/** One object for all heartbeats: an architecture reads it only during the call. */
export const HEARTBEAT: { kind: 'heartbeat'; node: NodeId } = { kind: 'heartbeat', node: 0 as NodeId }

export const PASS = { kind: 'pass' } as const
