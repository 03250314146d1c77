// Rows with defaults, so that a test names only relevant fields.
import type { ModelRow, UsageRow } from '../../../web/sync/rows.ts'

export const model = (changes: Partial<ModelRow> = {}): ModelRow => ({
  id: 'kimi-k2',
  name: 'Kimi K2',
  model: 'moonshotai/kimi-k2',
  provider: 'gateway',
  description: 'A lively open model',
  capabilities: ['tools'],
  effort: [],
  icon: 'moonshot',
  credits: 1,
  access: 'public',
  inputMicroDollarsPerMillionTokens: 0,
  cachedInputMicroDollarsPerMillionTokens: null,
  outputMicroDollarsPerMillionTokens: 0,
  contextTokens: null,
  maxOutputTokens: null,
  position: 0,
  createdAt: 1,
  updatedAt: 1,
  unavailable: null,
  temperature: null,
  options: null,
  fallbackIds: null,
  ...changes,
})

export const usage = (changes: Partial<UsageRow> = {}): UsageRow => ({
  id: 'usage-1',
  userId: 'user-1',
  credits: 0,
  search: 0,
  research: 0,
  day: 0,
  contentBytes: 0,
  contentRows: 0,
  forks: 0,
  forkDay: null,
  mutations: 0,
  mutationDay: null,
  ...changes,
})
