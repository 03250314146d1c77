/** Reads the first page from the replica. A few indexed reads, bounded for any history. */
import { type FirstRows, planOfRows, type ThreadEnd } from '../contract/first-page.ts'
import { threadPageSize } from '../contract/limits.ts'
import { chosenModel, isSelectable } from '../contract/model-choice.ts'
import { queries } from '../contract/queries.ts'
import { zql } from '../contract/schema.ts'
import { threadEnd } from '../db/thread-end.ts'
import type { Engine } from '../sync/engine/types.ts'
import { findRow, planRows, rowsOf } from '../user-sync/replica-rows.ts'

/** Chosen: the threads that the user is likely to open next. */
const recentThreads = 5

type FirstPageRows = { readonly rows: FirstRows; readonly recent: readonly ThreadEnd[] }

export function firstPageRows(engine: Engine, userId: string, nowMs: number): FirstPageRows {
  const threads = rowsOf(engine, queries.threads.list.fn({ args: { limit: threadPageSize }, ctx: { userId } }))
  const payers = planRows(engine, userId)
  const settings = findRow(engine, 'setting', userId) ?? null
  const chosen = settings?.modelId == null ? undefined : findRow(engine, 'model', settings.modelId)
  return {
    rows: {
      ...payers,
      settings,
      // The whole catalogue is read only if needed.
      model:
        chosen && isSelectable(chosen)
          ? chosen
          : (chosenModel(rowsOf(engine, zql.model), settings?.modelId, planOfRows(payers, nowMs)) ?? null),
      usage: findRow(engine, 'usage', userId) ?? null,
      threads,
    },
    recent: threads.slice(0, recentThreads).flatMap((thread) => threadEnd(thread, (id) => findRow(engine, 'message', id)) ?? []),
  }
}
