const MIB = 2 ** 20

/** A resource of Kubernetes in terms of nodes here. */
export interface KubernetesResource {
  /** What nodes call it. */
  readonly resource: string
  /** How many of the nodes' units one of Kubernetes' is: a core, a byte, a device. */
  readonly per: number
  /** Name of the nodes' unit; empty where they are counted. */
  readonly unit: string
}

/**
 * What nodes call a resource of Kubernetes, and in which unit they have it: `cpu` in millicores, `mem` in MiB, GPUs of any maker as `gpu` in thousandths; all others
 * under their own names, local storage and huge pages in MiB, whatever else by number.
 */
export function kubernetesResource(name: string): KubernetesResource {
  if (name === 'cpu') return { resource: 'cpu', per: 1000, unit: 'millicores' }
  if (name === 'memory') return { resource: 'mem', per: 1 / MIB, unit: 'MiB' }
  if (/\/gpu(-count)?$/.test(name)) return { resource: 'gpu', per: 1000, unit: 'thousandths of a GPU' }
  return /^(ephemeral-storage$|hugepages-)/.test(name) ? { resource: name, per: 1 / MIB, unit: 'MiB' } : { resource: name, per: 1, unit: '' }
}
