import type { Plugin } from '../plugin.js'

/** Keeps pods that the cluster itself needs, of which there are none here: it names everybody. Source: Volcano, plugins/conformance. */
export const conformance = (): Plugin => ({ preemptable: (_, candidates) => candidates, reclaimable: (_, candidates) => candidates })
