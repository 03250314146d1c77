// The rows of one user in all tables.
import { newId } from '../../../worker/db/new-id.ts'
import { generationRow, insert, ledgerRow, messageRow, queuedRow, shareRow, summaryRow, threadRow } from '../../support/rows.ts'
import { content, env } from '../bindings.ts'

/**
 * These keep ids of deleted users until they are pruned: the feeds, the deletion itself, and the linking of a guest, whose late turns it ends.
 * `paymentObject` is the payment provider's.
 */
const withIds = ['contentChange', 'directoryChange', 'accountDeletion', 'linking', 'paymentObject']

let scans: Promise<readonly { readonly table: string; readonly scan: D1PreparedStatement }[]> | undefined

/** Every table of the directory and of the content, with a query for the rows that contain the text in any column. */
async function scansOf() {
  const found = await Promise.all(
    [...new Set([env.DB, content])].map(async (db) => {
      const { results } = await db
        .prepare(
          `select tables.name name, group_concat('instr("' || columns.name || '", ?1) > 0', ' or ') matches
            from sqlite_master tables, pragma_table_info(tables.name) columns
            where tables.type = 'table' and tables.name not like 'sqlite%' and tables.name not like '\\_cf%' escape '\\'
            group by tables.name`,
        )
        .all<{ readonly name: string; readonly matches: string }>()
      return results.flatMap(({ name, matches }) =>
        withIds.includes(name) ? [] : [{ table: name, scan: db.prepare(`select count(*) n from "${name}" where ${matches}`) }],
      )
    }),
  )
  return found.flat()
}

/** The tables with a row that contains the text, such as a user's id or address. */
export async function tablesNaming(text: string): Promise<string[]> {
  scans ??= scansOf()
  const counts = await Promise.all(
    (await scans).map(async ({ table, scan }) => ((await scan.bind(text).first<number>('n')) ?? 0) > 0 && table),
  )
  return [...new Set(counts.filter((table) => table !== false))]
}

export async function fillAccount(userId: string, threads = 25): Promise<void> {
  for (let i = 0; i < threads; i++) {
    const thread = threadRow(userId)
    await insert(content, 'thread', thread)
    const messageId = newId()
    await insert(content, 'message', messageRow(userId, String(thread.id), { id: messageId }))
    if (i === 0) await insert(content, 'share', shareRow(userId, String(thread.id), messageId))
    if (i === 0) await insert(content, 'summary', summaryRow(userId, String(thread.id), messageId))
    if (i === 0) await insert(content, 'queuedMessage', queuedRow(userId, String(thread.id)))
    if (i === 0) await insert(content, 'generation', generationRow(userId, String(thread.id), { status: 'completed' }))
  }
  await insert(content, 'creditLedger', ledgerRow(userId, newId(), 'reserve'))
}
