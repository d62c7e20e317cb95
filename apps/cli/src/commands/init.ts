import type { Command } from 'commander'
import type { Io } from '../io.js'
export function addInit(_program: Command, _io: Io): void {}
