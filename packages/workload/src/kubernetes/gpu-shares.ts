import type { Fields } from '../json/fields.js'

/** What a pod asks of GPUs that it shares with others. */
export interface GpuShare {
  /** In thousandths of a GPU; above 1000 whole ones. */
  readonly gpu: number
  /** What is not as it asks: it asks for memory of a GPU, and nobody says how much one has; or for shares of several GPUs. */
  readonly unlike?: 'memory' | 'several' | undefined
}

const WHOLE = 1000

/**
 * What annotations of KAI Scheduler ask: a fraction of a GPU, or so many MiB of its memory, of one GPU or each of several. `undefined`: no share. `memory`: MiB of one GPU, if
 * that is known; without it a pod that asks for memory has the GPU for itself. Shares of several GPUs are what they are together, in whole GPUs where that is more than one.
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
