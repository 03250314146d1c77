/**
 * Invariants of credits and turns, as queries that must return no rows. Shared, because they run after every test with turns: in workerd
 * and on the product's files, and when the product stops.
 */

import {
  allGuestsCreditsPerDay,
  creditsPerDay,
  guestNetworkCreditsPerDay,
  guestWideCreditsPerDay,
  researchesPerDay,
  searchesPerDay,
  unpaidTurnsPerDay,
} from '../../worker/contract/limits.ts'
import { useFields } from '../../worker/contract/models/model-use.ts'
import { searchTool } from '../../worker/contract/models/tools.ts'

/** The credits of the month of `usage.day` are those of the ledger since the first day of that month. */
const firstOfMonth = "unixepoch(usage.day * 86400, 'unixepoch', 'start of month') / 86400"
const hasEnded = (generationId: string) => `exists (
  select 1 from creditLedger ending where ending.id in (${generationId} || ':settle', ${generationId} || ':release'))`

const dailySums = ['requests', 'unpriced', ...useFields]

/** Enforced by triggers, so they hold for rows that a test inserts as well. */
const usageRules = {
  'usage is the sum of the ledger for its day': `
    select userId, day, credits, search, research from usage
    where (coalesce(credits, 0), coalesce(search, 0), coalesce(research, 0)) is not (
      select coalesce(sum(credits), 0), coalesce(sum(search), 0), coalesce(sum(research), 0)
      from creditLedger where creditLedger.userId = usage.userId and creditLedger.day = usage.day)`,
  'usage counts the newest day': `
    select userId, max(day) day from creditLedger
    group by userId having max(day) is not (select day from usage where usage.userId = creditLedger.userId)`,
  'usage is the sum of the ledger for its month': `
    select userId, day, monthStart, monthCredits from usage
    where day > 0 and (monthStart, monthCredits) is not (${firstOfMonth}, (
      select coalesce(sum(credits), 0) from creditLedger where creditLedger.userId = usage.userId and creditLedger.day >= ${firstOfMonth}))
      and exists (select 1 from creditLedger where creditLedger.userId = usage.userId)`,
  'the use of a day, model and project is the sum of its ended turns': `
    select userId, day, modelId, projectId from (
      select userId, day, modelId, projectId, credits, searches, tokens, microDollars, unpriced from dailyUse
      union all
      select ledger.userId, ledger.day, modelId, projectId, -ledger.credits, -ledger.search, 0, 0, 0
      from creditLedger ledger join generation on generation.id = ledger.generationId where ${hasEnded('ledger.generationId')}
      union all
      select request.userId, request.day, modelId, projectId, 0, 0, -coalesce(inputTokens, 0) - coalesce(outputTokens, 0), -coalesce(microDollars, 0),
        -(microDollars is null)
      from modelRequest request join generation on generation.id = request.generationId
      where purpose <> 'answer' or ${hasEnded('request.generationId')})
    group by userId, day, modelId, projectId
    having ${['credits', 'searches', 'tokens', 'microDollars', 'unpriced'].map((name) => `sum(${name}) <> 0`).join(' or ')}`,
  'guests stay below their ceilings': `
    select day, network, credits from guestUse
    where credits not between 0 and iif(network = '', ${allGuestsCreditsPerDay}, ${guestNetworkCreditsPerDay})`,
  'guests of wider networks stay below their ceilings': `
    select day, wide, size, credits from guestWideUse
    where credits not between 0 and case size
      when 'site' then ${guestWideCreditsPerDay.site} when 'block' then ${guestWideCreditsPerDay.block} else ${guestWideCreditsPerDay.provider} end`,
  'all guests used what their networks used': `
    select day, sum(iif(network = '', -credits, credits)) difference from guestUse group by day having difference <> 0`,
  // Ledger rows of deleted guests are deleted, but their use still counts.
  'a network counts at least what the ledger says': `
    select counted.day, counted.network, sum(counted.credits) credits from (
      select reservation.day, reservation.network, ledger.credits
      from guestReservation reservation join creditLedger ledger on ledger.generationId = reservation.generationId) counted
    group by counted.day, counted.network having sum(counted.credits) > coalesce((
      select credits from guestUse where guestUse.day = counted.day and guestUse.network = counted.network), 0)`,
  // An empty userId has the sums of deleted users, whose requests are deleted too.
  'daily use is the sum of its requests': `
    select day, userId, model, provider from (
      select day, userId, model, provider, ${dailySums.join(', ')} from dailyModelUse where userId <> ''
      union all
      select day, userId, model, provider, -count(*), -sum(microDollars is null), ${useFields.map((field) => `-total(${field})`).join(', ')}
      from modelRequest group by day, userId, model, provider)
    group by day, userId, model, provider having ${dailySums.map((name) => `sum(${name}) <> 0`).join(' or ')}`,
  'no daily use is negative': `select day, userId, model from dailyModelUse where min(${dailySums.join(', ')}) < 0 or requests < unpriced`,
} as const

const limitOf = { credits: 'dailyLimit', search: 'searchLimit', research: 'researchLimit' } as const

const isOverspent = (count: keyof typeof limitOf): string => `
  sum(${count}) > max(max(${limitOf[count]}), total(${count}) filter (where generationId like 'used-before:%'))
    + max(${limitOf[count]}) * (select count(*) from linking where accountId = spent.userId)`

/** SQL condition: an entry for the search of a turn, which is charged when it is made. */
const isOfSearch = (of = ''): string => `(${of}id like '%:search' or ${of}id like '%:search:release')`

/** For a ledger with complete turns. */
const ledgerRules = {
  'a turn is reserved once and ends once': `
    select generationId from creditLedger where not ${isOfSearch()}
    group by generationId having sum(kind = 'reserve') <> 1 or sum(kind <> 'reserve') > 1`,
  'what ends a turn keeps at most what was held and gives the rest back, each once, on its day': `
    select ending.id from creditLedger ending join creditLedger held on held.generationId = ending.generationId and held.kind = 'reserve'
    where ending.kind <> 'reserve' and not ${isOfSearch('ending.')} and not ${isOfSearch('held.')}
      and (ending.day <> held.day or ending.userId <> held.userId or ending.credits not between -held.credits and iif(ending.kind = 'release', -held.credits, 0)
        or ending.unpaidCredits not between 0 and held.credits
        or ending.search not in (0, -held.search) or ending.research not in (0, -held.research))`,
  'the search of a turn is charged once, and given back once, on its day': `
    select held.id from creditLedger held left join creditLedger ending on ending.id = held.id || ':release'
    where held.id like '%:search' and (
      (held.kind, held.credits, held.search, held.research) is not ('reserve', 0, 1, 0)
      or ending.id is not null and (ending.kind, ending.credits, ending.search, ending.research, ending.day, ending.userId)
        is not ('release', 0, -1, 0, held.day, held.userId))
    union all
    select id from creditLedger ending where id like '%:search:release'
      and not exists (select 1 from creditLedger held where held.id || ':release' = ending.id)`,
  // Each linked guest adds its own limit. Usage restored from a deleted account may exceed the limit of a smaller plan, but then nothing is
  // added to it.
  'no day is overspent': `
    select userId, day, sum(credits) credits, sum(search) search, sum(research) research from creditLedger spent
    group by userId, day having min(sum(credits), sum(search), sum(research)) < 0
      or ${(['credits', 'search', 'research'] as const).map(isOverspent).join(' or ')}`,
  'no more turns of a day end unpaid than the limit allows': `
    select userId, day from creditLedger unpaidTurn where unpaid > 0
    group by userId, day having sum(unpaid) > ${unpaidTurnsPerDay} * (1 + (select count(*) from linking where accountId = unpaidTurn.userId))`,
  'an unpaid turn is one that has ended':
    "select id from creditLedger where unpaid > 0 and kind = 'reserve' and id not like 'used-before:%'",
} as const

const plans = ['guest', 'free', 'pro'] as const
const dayLimits = plans.map((plan) => `(${creditsPerDay[plan]}, ${researchesPerDay[plan]})`)
const searchLimits = plans.map((plan) => searchesPerDay[plan])

/** Conditions on the answer of `generation`. */
const part = (is: string) => `exists (
  select 1 from message, json_each(message.message, '$.parts') part
  where message.id = generation.id and json_extract(message.message, '$.role') = 'assistant' and (${is}))`
const hasWords = part(`json_extract(part.value, '$.type') = 'file'
  or json_extract(part.value, '$.type') = 'text' and trim(json_extract(part.value, '$.text'), char(32, 9, 10, 11, 12, 13, 160)) <> ''`)
const hasReasoning = part(`json_extract(part.value, '$.type') = 'reasoning'`)
const hasAnswered = (tool: string) =>
  part(`json_extract(part.value, '$.type') = 'tool-${tool}' and json_extract(part.value, '$.state') = 'output-available'`)
const kept = (column: string) => `(select coalesce(sum(${column}), 0) from creditLedger where generationId = generation.id)`
/** Within the limit, a turn without an answer is never charged. Unpaid turns are not removed, so a limit that was reached stays reached. */
const isWithinLimit = `(select coalesce(sum(unpaid), 0) from creditLedger where userId = generation.userId and day = generation.day and unpaid > 0) < ${unpaidTurnsPerDay}`
const answer = `select 1 from message
  where message.id = generation.id and message.threadId = generation.threadId and json_extract(message.message, '$.role') = 'assistant'`
const hasAnswer = `status <> 'open' and exists (${answer})`

/** As the message of `generation` shows it. */
const shownUse = ['requests', 'unpriced', ...useFields].map((name) => `json_extract(message.message, '$.metadata.use.${name}')`)

/** For turns that the product ran. */
const turnRules = {
  'what is held is what the turn is for, by the limits of a plan': `
    select held.id from creditLedger held join generation on generation.id = held.generationId
    where held.kind = 'reserve' and held.id not like '%:search' and (held.credits <> generation.credits or held.day <> generation.day
      or held.userId <> generation.userId or held.credits < 0 or held.search <> 0
      or held.research not in (mode = 'research', mode = 'research' and continueId is null)
      or ((held.dailyLimit, held.researchLimit) in (values ${dayLimits.join(', ')})) is not true)`,
  'a search is charged to a turn that is no research, by the limits of a plan': `
    select held.id from creditLedger held left join generation on generation.id = held.generationId
    where held.id like '%:search' and (generation.id is null or generation.mode = 'research' or held.day < generation.day
      or held.userId <> generation.userId or (held.searchLimit in (${searchLimits.join(', ')})) is not true)`,
  'a search that was answered is paid with its answer': `
    select id from generation where continueId is null and mode <> 'research' and ${hasAnswer} and ${hasWords} and ${hasAnswered(searchTool)}
      and ${kept('search')} <> 1`,
  'an answer without a word is free, unless it was stopped or the limit of unpaid turns is reached': `
    select id, status from generation where ${hasAnswer} and not ${hasWords} and status <> 'stopped' and ${isWithinLimit}
      and ${kept('credits')} + ${kept('search')} + ${kept('research')} > 0`,
  'a stopped answer that showed reasoning is paid': `
    select id from generation where continueId is null and status = 'stopped' and ${hasAnswer} and ${hasReasoning}
      and exists (select 1 from creditLedger where generationId = generation.id and kind = 'release' and not ${isOfSearch()})`,
  'an answer with words of its own is paid': `
    select id, status from generation where continueId is null and ${hasAnswer} and ${hasWords}
      and exists (select 1 from creditLedger where generationId = generation.id and kind = 'release' and not ${isOfSearch()})`,
  'a search that was not answered is given back with an answer that was not stopped': `
    select id from generation where ${hasAnswer} and ${hasWords} and status <> 'stopped'
      and ${kept('search')} > 0 and not ${hasAnswered(searchTool)}`,
  'what is held belongs to a turn that is being written': `
    select id, status from generation
    where (status = 'open') <> (select coalesce(sum(kind = 'reserve'), 0) = 1 and count(*) = 1 from creditLedger where generationId = generation.id and not ${isOfSearch()})`,
  'a thread waits for exactly the turn that is open in it': `
    select id, status, streamId from thread
    where coalesce(status, 'ready') = 'ready' and (streamId is not null or exists (select 1 from generation where threadId = thread.id and status = 'open'))
      or coalesce(status, 'ready') <> 'ready' and not exists (select 1 from generation where id = thread.streamId and threadId = thread.id and status = 'open')`,
  'an answer says what it cost': `
    select message.id from message join generation on generation.id = message.id and generation.threadId = message.threadId
    where json_extract(message.message, '$.metadata.credits') <> (select sum(credits) from creditLedger where generationId = generation.id)`,
  'an ended turn has its answer': `
    select generation.id from generation join thread on thread.id = generation.threadId
    where generation.status <> 'open' and not exists (${answer})
      -- An answer that waited for approvals is part of the one that continued it.
      and not exists (select 1 from generation later where later.continueId = generation.id and later.status <> 'open')`,
  'a request belongs to a turn, has its owner, and counts on the day of its reservation': `
    select request.id from modelRequest request
    left join creditLedger held on held.id = request.generationId || ':reserve'
    left join generation on generation.id = request.generationId
    where (request.userId, request.day) is not (held.userId, held.day) or (request.userId, request.day) is not (generation.userId, generation.day)
      or request.purpose = 'answer' and generation.status = 'open'`,
  'an answer shows what its requests used': `
    select message.id from message join generation on generation.id = message.id and generation.threadId = message.threadId
    where ${hasAnswer} and (${shownUse.join(', ')}) is not (
      select nullif(count(*), 0), iif(count(*) > 0, coalesce(sum(microDollars is null), 0), null), ${useFields.map((field) => `sum(${field})`).join(', ')}
      from modelRequest where generationId = generation.id and purpose = 'answer')`,
  'an answer with words of its own has a request, unless the demo model wrote it': `
    select id from generation where continueId is null and ${hasAnswer} and ${hasWords}
      and not exists (select 1 from message where message.id = generation.id and json_extract(message.message, '$.metadata.demo'))
      and not exists (select 1 from modelRequest where generationId = generation.id and purpose = 'answer')`,
  'a thread shows the sum of its requests': `
    select thread.id from thread
    where (coalesce(tokens, 0), coalesce(microDollars, 0), coalesce(unpriced, 0)) is not (
      select coalesce(sum(coalesce(inputTokens, 0) + coalesce(outputTokens, 0)), 0), coalesce(sum(request.microDollars), 0),
        coalesce(sum(request.microDollars is null), 0)
      from generation join modelRequest request on request.generationId = generation.id where generation.threadId = thread.id)`,
} as const

const scopes = {
  usage: usageRules,
  ledger: { ...usageRules, ...ledgerRules },
  turns: { ...usageRules, ...ledgerRules, ...turnRules },
} as const

/** The part of the database that the product created: everything, the ledger, or nothing. */
export type AuditScope = keyof typeof scopes

export const auditRules: readonly string[] = Object.keys(scopes.turns)

/** Resolves with the violated invariants, each with its first rows. `all` returns the rows of each query, in order. */
export async function auditFindings(
  scope: AuditScope,
  all: (queries: readonly string[]) => Promise<readonly (readonly object[])[]> | readonly (readonly object[])[],
): Promise<string[]> {
  const rules = Object.keys(scopes[scope])
  const results = await all(Object.values(scopes[scope]))
  return rules.flatMap((rule, index) => {
    const rows = results[index] ?? []
    return rows.length > 0 ? [`not true: ${rule}: ${JSON.stringify(rows.slice(0, 3))}`] : []
  })
}
