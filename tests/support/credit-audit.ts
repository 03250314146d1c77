/**
 * What must be true of credits and turns at every moment, as queries that find nothing. In one place, because every test that lets
 * turns happen is followed by them: in workerd and beside the product after each test, and once more when the product is stopped.
 */

import { creditsPerDay, researchesPerDay, searchesPerDay } from '../../worker/contract/limits.ts'
import { findingsTool } from '../../worker/contract/research.ts'
import { searchTool } from '../../worker/contract/tools.ts'

/** Kept by triggers, whoever writes: also true of rows that a test makes up. */
const usageRules = {
  'usage is the sum of the ledger for its day': `
    select userId, day, credits, search, research from usage
    where (coalesce(credits, 0), coalesce(search, 0), coalesce(research, 0)) is not (
      select coalesce(sum(credits), 0), coalesce(sum(search), 0), coalesce(sum(research), 0)
      from creditLedger where creditLedger.userId = usage.userId and creditLedger.day = usage.day)`,
  'usage counts the newest day': `
    select userId, max(day) day from creditLedger
    group by userId having max(day) is not (select day from usage where usage.userId = creditLedger.userId)`,
} as const

/** Of a ledger that tells of whole turns. */
const ledgerRules = {
  'a turn is reserved once and ends once': `
    select generationId from creditLedger
    group by generationId having sum(kind = 'reserve') <> 1 or sum(kind <> 'reserve') > 1`,
  'what ends a turn keeps what was held or gives it back, each once, on its day': `
    select ending.id from creditLedger ending join creditLedger held on held.generationId = ending.generationId and held.kind = 'reserve'
    where ending.kind <> 'reserve'
      and (ending.day <> held.day or ending.userId <> held.userId or ending.credits <> iif(ending.kind = 'release', -held.credits, 0)
        or ending.search not in (0, -held.search) or ending.research not in (0, -held.research))`,
  // What guests spent on the day on which they became this account was theirs to spend.
  'no day is overspent': `
    select userId, day, sum(credits) credits, sum(search) search, sum(research) research from creditLedger spent
    group by userId, day having min(sum(credits), sum(search), sum(research)) < 0
      or sum(credits) > max(dailyLimit) * (1 + (select count(*) from handover where accountId = spent.userId))
      or sum(search) > max(searchLimit) * (1 + (select count(*) from handover where accountId = spent.userId))
      or sum(research) > max(researchLimit) * (1 + (select count(*) from handover where accountId = spent.userId))`,
} as const

const dayLimits = (['guest', 'free', 'pro'] as const).map(
  (plan) => `(${creditsPerDay[plan]}, ${searchesPerDay[plan]}, ${researchesPerDay[plan]})`,
)

/** Of the answer that belongs to `generation`: what a person was given. */
const part = (is: string) => `exists (
  select 1 from message, json_each(message.message, '$.parts') part
  where message.id = generation.id and json_extract(message.message, '$.role') = 'assistant' and (${is}))`
const hasWords = part(`json_extract(part.value, '$.type') = 'file'
  or json_extract(part.value, '$.type') = 'text' and trim(json_extract(part.value, '$.text'), char(32, 9, 10, 11, 12, 13, 160)) <> ''`)
const hasAnswered = (tool: string) =>
  part(`json_extract(part.value, '$.type') = 'tool-${tool}' and json_extract(part.value, '$.state') = 'output-available'`)
const kept = (column: string) => `(select coalesce(sum(${column}), 0) from creditLedger where generationId = generation.id)`
const hasAnswer = `status <> 'open' and exists (
  select 1 from message where message.id = generation.id and json_extract(message.message, '$.role') = 'assistant')`

/** Of turns that the product made itself. */
const turnRules = {
  'what is held is what the turn is for, by the limits of a plan': `
    select held.id from creditLedger held join generation on generation.id = held.generationId
    where held.kind = 'reserve' and (held.credits <> generation.credits or held.day <> generation.day or held.userId <> generation.userId
      or held.credits < 0 or held.search not in (mode = 'search', mode = 'search' and continueId is null) or held.research not in (mode = 'research', mode = 'research' and continueId is null)
      or ((held.dailyLimit, held.searchLimit, held.researchLimit) in (values ${dayLimits.join(', ')})) is not true)`,
  'an answer without a word is free, but for what its person stopped after it was searched for or noted': `
    select id, status from generation where ${hasAnswer} and not ${hasWords}
      and (${kept('credits')} > 0 and not (status = 'stopped' and mode = 'research' and ${hasAnswered(findingsTool)})
        or ${kept('search')} + ${kept('research')} > 0 and not (status = 'stopped' and ${hasAnswered(searchTool)}))`,
  'an answer with words of its own is paid': `
    select id, status from generation where continueId is null and ${hasAnswer} and ${hasWords}
      and exists (select 1 from creditLedger where generationId = generation.id and kind = 'release')`,
  'a search that was not answered is given back': `
    select id from generation where mode = 'search' and ${hasAnswer} and ${kept('search')} > 0 and not ${hasAnswered(searchTool)}`,
  'what is held belongs to a turn that is being written': `
    select id, status from generation
    where (status = 'open') <> (select coalesce(sum(kind = 'reserve'), 0) = 1 and count(*) = 1 from creditLedger where generationId = generation.id)`,
  'a thread waits for exactly the turn that is open in it': `
    select id, status, streamId from thread
    where coalesce(status, 'ready') = 'ready' and (streamId is not null or exists (select 1 from generation where threadId = thread.id and status = 'open'))
      or coalesce(status, 'ready') <> 'ready' and not exists (select 1 from generation where id = thread.streamId and threadId = thread.id and status = 'open')`,
  'an answer says what it cost': `
    select message.id from message join generation on generation.id = message.id and generation.threadId = message.threadId
    where json_extract(message.message, '$.metadata.credits') <> (select sum(credits) from creditLedger where generationId = generation.id)`,
  'an ended turn has its answer': `
    select generation.id from generation join thread on thread.id = generation.threadId
    where generation.status <> 'open' and not exists (select 1 from message where message.id = generation.id)`,
} as const

const scopes = {
  usage: usageRules,
  ledger: { ...usageRules, ...ledgerRules },
  turns: { ...usageRules, ...ledgerRules, ...turnRules },
} as const

/** How much of the record the product made itself: all of it, the ledger, or nothing. */
export type AuditScope = keyof typeof scopes

export const auditRules: readonly string[] = Object.keys(scopes.turns)

/** Resolves to what is wrong, in words, each with the first rows that show it. */
export async function auditFindings(
  scope: AuditScope,
  all: (sql: string) => Promise<readonly object[]> | readonly object[],
): Promise<string[]> {
  const findings: string[] = []
  for (const [rule, sql] of Object.entries(scopes[scope])) {
    const rows = await all(sql)
    if (rows.length > 0) findings.push(`not true: ${rule}: ${JSON.stringify(rows.slice(0, 3))}`)
  }
  return findings
}
