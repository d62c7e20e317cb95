import { afterAll, inject, vi } from 'vitest'
import { removeDirectories } from './sched.js'

afterAll(removeDirectories)

// threads start from what is built once, since from sources each takes seconds
vi.mock('../src/threads/program.js', () => ({ program: () => ({ filename: `${inject('program')}/worker.js`, execArgv: [] }) }))
