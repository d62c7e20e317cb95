import type { Column } from '@sched/report'

/** Columns of a table of figures: what a row is about at the left, numbers at the right. */
export const columns = (first: string, ...titles: string[]): Column[] => [{ title: first, align: 'left' }, ...titles.map((title): Column => ({ title, align: 'right' }))]
