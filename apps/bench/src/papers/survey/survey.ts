import type { Sheet } from '../sheet.js'
import { backfillingExample } from './backfilling-example.js'
import { backfillingOrder } from './backfilling-order.js'
import { backfillingPromises } from './backfilling-promises.js'
import { fairDelay } from './fair-delay.js'
import { reservations } from './reservations.js'
import { scalability } from './scalability.js'
import { slotUtilisation } from './slot-utilisation.js'

/** Rows of other claims of the survey stand in files of their own; add their experiments here. */
export const survey: Sheet = {
  name: 'survey',
  title: 'Resource models, multi-user schedulers and backfilling, as a survey has them',
  source:
    'Lin Qixun, Qian Depei, Luan Zhongzhi (Beihang University), a survey of cluster resource scheduling (in Chinese). It has no experiments ' +
    'of its own and its figures were lost, so what is published are statements.',
  experiments: [slotUtilisation, reservations, fairDelay, scalability, backfillingExample, backfillingOrder, backfillingPromises],
}
