import type { Sheet } from '../sheet.js'
import { activity } from './activity.js'
import { shuffleShare } from './shuffle-share.js'
import { singleJobs } from './single-jobs.js'
import { tenants } from './tenants.js'

export const bayesCommunication: Sheet = {
  name: 'bayes-communication',
  title: 'Bayes classifier for the communication of map-intensive jobs',
  source:
    'Cao Yunpeng, Wang Haifeng (Linyi University), intermediate-data communication of map-intensive jobs, 2018 (in Chinese). Its tables 2 and 3 and all figures were lost, so what is published are ' +
    'statements and ranges.',
  experiments: [activity, singleJobs, shuffleShare, tenants],
}
