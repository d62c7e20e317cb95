import { kindOfHardware, to40Bits, type HardwareView, type NodeId } from '@sched/core'

/** When a node is overloaded: if it exceeds either number by more than rounding. */
export interface OverloadRule {
  /** Fraction of its processors that is in use. */
  readonly cpu: number
  /** Number of working tasks for each processor. */
  readonly load: number
}

/**
 * Whether a node is overloaded by a rule. It never is if the use of hardware is not measured, since claims on a node do not tell how busy it is.
 *
 * Source: a survey of cluster resource scheduling, section 7: processor use above 90 %, or load above the cores.
 */
export function isOverloaded(node: NodeId, hardware: HardwareView, { cpu, load }: OverloadRule): boolean {
  if (!hardware.isMeasured) return false
  const cores = kindOfHardware('cores', hardware.kinds)
  if (cores < 0) return false
  const amount = hardware.amount(node, cores)
  return to40Bits(hardware.use(node, cores) / amount) > to40Bits(cpu) || to40Bits(hardware.runnable(node) / amount) > to40Bits(load)
}
