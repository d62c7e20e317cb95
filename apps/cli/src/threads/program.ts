/** A program for a thread, and how Node is to be told to read it. */
export interface Program {
  readonly filename: string
  readonly execArgv: string[]
}

/** The thread's program, built or from its source. */
export function program(): Program {
  if (!import.meta.url.endsWith('.ts')) return { filename: new URL('./worker.js', import.meta.url).href, execArgv: [] }
  return { filename: new URL('./worker.ts', import.meta.url).href, execArgv: ['--conditions=@sched/source', '--import', import.meta.resolve('tsx')] }
}
