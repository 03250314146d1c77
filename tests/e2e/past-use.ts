/** Writes a year of turns into the database of a stopped product: the ledger, from which triggers derive what the usage page shows. */
import { dayOf } from '../../worker/contract/access.ts'
import type { Product } from '../support/product.ts'
import { openRecord } from '../support/record-file.ts'
import { createRng } from '../support/rng.ts'

const models = ['kimi-k2', 'kimi-k2', 'gemini-2.5-flash', 'gemini-2.5-flash', 'gpt-5', 'claude-opus-4.5', 'ollama/llama3:8b']

/** For a user who has used nothing yet. The threads of the turns are deleted. */
export function insertYear({ stateDir }: Pick<Product, 'stateDir'>, userId: string, nowMs: number): void {
  const rng = createRng(7)
  const record = openRecord(stateDir)
  record.exec('begin')
  const project = record.prepare('insert into project (id, userId, name, createdAt, updatedAt) values (?, ?, ?, 1, 1)')
  const projects = ['Tides of the North Sea', '=Household', 'A project with a name that is as long as it may be, in every row'].map(
    (name, index) => {
      const id = `project-${index}-${userId}`
      project.run(id, userId, name.slice(0, 60))
      return id
    },
  )
  const turn = record.prepare(
    `insert into generation (id, userId, threadId, parentId, modelId, status, credits, day, createdAt, endedAt, mode, objectId, projectId)
     values (?1, ?2, 'deleted', 'deleted', ?3, 'completed', ?4, ?5, 1, 2, ?6, 'object', ?7)`,
  )
  const entry = record.prepare(
    `insert into creditLedger (id, userId, generationId, kind, credits, day, dailyLimit, researchLimit, createdAt)
     values (?1 || ':' || ?2, ?3, ?1, ?2, ?4, ?5, 200, 15, 1)`,
  )
  const searched = record.prepare(
    `insert into creditLedger (id, userId, generationId, kind, credits, search, day, searchLimit, createdAt)
     values (?1 || ':search', ?2, ?1, 'reserve', 0, 1, ?3, 50, 1)`,
  )
  const request = record.prepare(
    `insert into modelRequest (id, userId, generationId, purpose, day, model, provider, inputTokens, outputTokens, microDollars)
     values (?1 || ':answer:1', ?2, ?1, 'answer', ?3, ?4, 'gateway', ?5, 400, ?6)`,
  )
  const today = dayOf(nowMs)
  for (let day = today - 364; day <= today; day++) {
    const isQuiet = rng.chance(0.2)
    // More in some months than in others.
    const turns = isQuiet ? 0 : 1 + rng.below(4 + Math.floor(4 * (1 + Math.sin(day / 40))))
    for (let n = 0; n < turns; n++) {
      const id = `turn-${day}-${n}-${userId}`
      const credits = 1 + rng.below(9)
      const model = rng.pick(models)
      const mode = rng.chance(0.25) ? 'search' : 'chat'
      turn.run(id, userId, model, credits, day, mode, rng.chance(0.5) ? null : rng.pick([...projects, 'project-gone']))
      entry.run(id, 'reserve', userId, credits, day)
      if (mode === 'search') searched.run(id, userId, day)
      request.run(id, userId, day, model, 500 + rng.below(20_000), model.startsWith('ollama') ? null : rng.below(30_000))
      entry.run(id, 'settle', userId, 0, day)
    }
  }
  record.exec('commit')
  record.close()
}
