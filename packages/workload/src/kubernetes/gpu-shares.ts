import type { Fields } from '../json/fields.js'

/** What a pod asks for of GPUs that it shares with others. */
export interface GpuShare {
  /** Thousandths of a GPU; above 1000 a multiple of 1000. */
  readonly gpu: number
  /**
   * Why this is not exactly what it asks for. `memory`: it asks for memory of a GPU, and the size of a GPU is unknown; `several`: it asks for shares
   * of several GPUs.
   */
  readonly unlike?: 'memory' | 'several' | undefined
}

const WHOLE = 1000

/**
 * The share of GPUs in the annotations of KAI Scheduler: a fraction of a GPU or MiB of its memory, of one GPU or of each of several; `undefined` if
 * there is none. `memory`: MiB of one GPU, if known; otherwise a pod that asks for memory gets a whole GPU. Shares of several GPUs are added up, and
 * rounded up to whole GPUs if the sum is above one.
 *
 * Source: KAI Scheduler, constants.go (`gpu-fraction`, `gpu-memory`, `gpu-fraction-num-devices`).
 */
export function shareOfGpus(metadata: Fields | undefined, memory: number | undefined): GpuShare | undefined {
  const annotations = metadata?.object('annotations')
  const positive = (key: string): number | undefined => {
    const value = Number(annotations?.text(key) ?? NaN)
    return value > 0 && value < Infinity ? value : undefined
  }
  const [fraction, ofMemory] = [positive('gpu-fraction'), positive('gpu-memory')]
  if (fraction === undefined && ofMemory === undefined) return undefined
  const each = Math.min(1, fraction ?? (memory === undefined ? 1 : (ofMemory as number) / memory))
  const count = Math.max(1, Math.floor(positive('gpu-fraction-num-devices') ?? 1))
  const sum = Math.max(1, Math.ceil(each * count * WHOLE - 1e-9))
  const unlike = fraction === undefined && memory === undefined ? 'memory' : count > 1 ? 'several' : undefined
  return { gpu: sum > WHOLE ? Math.ceil(sum / WHOLE) * WHOLE : sum, unlike }
}
