import { TaskBars } from './task-bars.js'
import type { Work } from './work.js'

/** The nodes that tasks are kept off, which they may be from now on. A program that keeps no task off nodes is smaller without. */
export const barsOf = (work: Work): TaskBars => work.bars ?? work.barNodes(new TaskBars(work, work.copies, work.shapes))
