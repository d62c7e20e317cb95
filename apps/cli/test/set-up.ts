import { afterAll, inject, vi } from 'vitest'
import { removeDirectories } from './sched.js'

afterAll(removeDirectories)

// no Ctrl-C comes here, and what heeds it starts a thread for every slice of a run; processes of their own are tests of it
vi.mock('../src/interruption.js', async (original) => ({ ...(await original<object>()), interruptible: <T>(work: () => T) => work() }))

// threads start from what is built once, since from sources each takes seconds
vi.mock('../src/threads/program.js', () => ({ program: () => ({ filename: `${inject('program')}/worker.js`, execArgv: [] }) }))
