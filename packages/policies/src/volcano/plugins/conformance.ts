import type { Plugin } from '../plugin.js'

/** Protects pods that the cluster itself needs. There are none here, so it lets every candidate be taken. Source: Volcano, plugins/conformance. */
export const conformance = (): Plugin => ({ preemptable: (_, candidates) => candidates, reclaimable: (_, candidates) => candidates })
