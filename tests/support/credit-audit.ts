/**
 * What must be true of credits and turns at every moment, as queries that find nothing. In one place, because every test that lets
 * turns happen is followed by them: in workerd after each test, in the product after each that asks and before it is stopped.
 */

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
  'what ends a turn keeps all of it or gives all of it back, on its day': `
    select ending.id from creditLedger ending join creditLedger held on held.generationId = ending.generationId and held.kind = 'reserve'
    where ending.kind <> 'reserve'
      and (ending.day <> held.day or ending.credits <> iif(ending.kind = 'release', -held.credits, 0) or ending.search not in (0, -held.search))`,
  'no day is overspent': `
    select userId, day, sum(credits) credits from creditLedger
    group by userId, day having sum(credits) > max(dailyLimit) or sum(search) > max(searchLimit) or sum(credits) < 0 or sum(search) < 0`,
} as const

/** Of turns that the product made itself. */
const turnRules = {
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
