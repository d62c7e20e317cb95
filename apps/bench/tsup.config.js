import { application } from '../../tooling/tsup/index.js'

export default application({ main: 'src/main.ts', 'speed-worker': 'src/speed/harness/worker.ts', 'papers-thread': 'src/papers/thread.ts' })
