import type { Setting } from '../setting.js'

/** A line that declares a partition, nodes, a switch or a block. */
export interface Declared {
  /** The first setting of the line, such as `PartitionName=batch`. */
  readonly name: Setting
  /** Its other settings and those of the DEFAULT lines above it, by name in small letters. */
  readonly settings: ReadonlyMap<string, Setting>
}
