import { library } from '../../tooling/tsup/index.js'

export default library({ index: 'src/index.ts', 'node/index': 'src/node/index.ts' }, { tsconfig: 'src/node/tsconfig.json' })
