/** The import of the object's rows between its other tasks: page by page, and before a decision on rows. */
import { logger } from '../../lib/logger.ts'
import { applyPages, readNextPages } from '../pull/import.ts'
import { hasOtherTables } from '../pull/pull.ts'
import { commit, pullAfterWake, scheduleImportAlarm } from './commit.ts'
import type { UserContext } from './context.ts'

/** True if the next pages may be read now. False after a failed read: then only the alarm retries. */
export const mayImport = (context: UserContext): boolean => context.isSourceAnswering && context.isImporting

/** Reads and publishes the next pages. False when the source does not answer: the alarm tries again. */
export async function continueImport(context: UserContext): Promise<boolean> {
  const { state, source } = context
  if (!hasOtherTables(state)) {
    await scheduleImportAlarm(context)
    const pages = await readNextPages(state, source).catch((error: unknown) => {
      logger.warn('import_interrupted', { error: String(error) })
      return null
    })
    context.isSourceAnswering = pages !== null
    if (!pages) return false
    await context.publish(() => applyPages(state, pages))
    if (context.isImporting) return true
    state.meta.setAlarmAt('import', null)
  }
  await commit(context, { isAfterImport: true })
  return true
}

/**
 * Call before a decision on rows. Pulls after a wake, and imports the next pages if only the alarm would. False while the import is incomplete:
 * the caller must let other tasks run and retry.
 */
export async function prepareReplica(context: UserContext): Promise<boolean> {
  await pullAfterWake(context)
  if (context.isImporting && !mayImport(context) && !(await continueImport(context))) throw new Error('the source cannot be read')
  return !context.isImporting
}
