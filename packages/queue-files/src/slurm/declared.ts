import type { Setting } from '../setting.js'

/** A partition, a line of nodes, a switch or a block: its own settings and those of DEFAULT lines above it, by name in small letters. */
export interface Declared {
  readonly name: Setting
  readonly settings: ReadonlyMap<string, Setting>
}
