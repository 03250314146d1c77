/**
 * The two rows every person has: setting and usage. Their ids are the user's id, which is what the ledger's trigger counts on.
 * Which model takes the default's place where it is out of reach, `model-choice.ts` says whenever it is asked.
 * Safe to run any number of times; a lost usage row is rebuilt from the ledger it is a projection of.
 */
import { defaultModelId, defaultPins } from '../contract/model-choice.ts'
import { defaultMode, defaultTheme } from '../contract/themes.ts'

export async function ensurePersonRows(database: D1Database, userId: string): Promise<void> {
  await database.batch([
    database
      .prepare(
        'insert into setting (id, userId, mode, theme, modelId, pinnedModels) values (?1, ?1, ?2, ?3, ?4, ?5) on conflict do nothing',
      )
      .bind(userId, defaultMode, defaultTheme, defaultModelId, JSON.stringify(defaultPins)),
    database
      .prepare(
        `insert into usage (id, userId, credits, search, research, day)
           select ?1, ?1, coalesce(sum(credits), 0), coalesce(sum(search), 0), coalesce(sum(research), 0), day
             from creditLedger
             where userId = ?1 and day = (select max(day) from creditLedger where userId = ?1)
         on conflict do nothing`,
      )
      .bind(userId),
  ])
}
