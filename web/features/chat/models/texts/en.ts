import { catalogue } from '../../../../lib/i18n/text-catalogue.ts'

/** Texts of the model picker. English, in ICU syntax. */
export const en = {
  suggested: 'Suggested',
  everyday: 'Fast, and good at everyday questions',
  smart: 'The strongest, for hard problems and long texts',
  cheap: 'Costs little, for short questions',
  pinned: 'Pinned',
  makers: 'Makers',
  switchModel: 'Switch model',
  whichModel: 'Which model?',
  unpin: 'Unpin',
  pin: 'Pin',
  chooseModel: 'Choose a model',
  model: 'Model',
  findModel: 'Find model',
  findModelPlaceholder: 'Find model…',
  models: 'Models',
  noModels: 'No models match your search.',
  noPinned: 'No pinned models yet. Choose a maker and pin one of its models.',
  resetsDaily: 'Resets daily',
  compare: 'Compare',
  compareDescription: 'Ask several models at once',
  comparedCount: '{count, number} of {max, number} models',
  compareDone: 'Done',
  compared: 'Compared models',
  removeCompared: 'Remove {model}',
} as const

export const t = catalogue('models', en)
