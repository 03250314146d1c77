/** The model catalogue: availability of models, and models of connected servers. */
import { eq, isNull } from 'drizzle-orm'
import type { RefusalCode } from '../contract/errors.ts'
import { orm, runBatch } from './shards.ts'
import { model } from './tables/catalogue.ts'

const { name, description, capabilities, effort, credits, access, temperature, maxOutputTokens } = model
const { inputMicroDollarsPerMillionTokens, cachedInputMicroDollarsPerMillionTokens, outputMicroDollarsPerMillionTokens, contextTokens } =
  model
const factColumns = {
  ...{ name, description, capabilities, effort, credits, access, temperature, maxOutputTokens },
  ...{ inputMicroDollarsPerMillionTokens, cachedInputMicroDollarsPerMillionTokens, outputMicroDollarsPerMillionTokens, contextTokens },
}

/** The columns that a provider's server reports. */
export type ListedFacts = Readonly<Pick<typeof model.$inferSelect, keyof typeof factColumns>>

const valuesOf = (facts: ListedFacts) => Object.keys(factColumns).map((column) => facts[column as keyof ListedFacts])

export const isSameFacts = (a: ListedFacts, b: ListedFacts): boolean => JSON.stringify(valuesOf(a)) === JSON.stringify(valuesOf(b))

export type CatalogueRow = {
  readonly id: string
  readonly slug: string
  readonly provider: string
  readonly unavailable: string | null
  readonly facts: ListedFacts
}

export const readCatalogue = (db: D1Database): Promise<readonly CatalogueRow[]> =>
  orm(db)
    .select({ id: model.id, slug: model.model, provider: model.provider, unavailable: model.unavailable, facts: factColumns })
    .from(model)

/** Models that users can choose now. */
export const readAvailableModels = (db: D1Database) => orm(db).select().from(model).where(isNull(model.unavailable))

type NewModel = {
  readonly id: string
  readonly slug: string
  readonly provider: string
  readonly icon: string
  readonly position: number
  readonly facts: ListedFacts
}

export type CatalogueChange =
  | { readonly type: 'add'; readonly model: NewModel }
  | { readonly type: 'remove'; readonly id: string }
  | { readonly type: 'mark'; readonly id: string; readonly unavailable: RefusalCode | null }
  | { readonly type: 'update'; readonly id: string; readonly facts: ListedFacts }

/** One batch; triggers write the feed. An `add` leaves a row that already exists as it is. */
export async function changeCatalogue(db: D1Database, changes: readonly CatalogueChange[], nowMs: number): Promise<void> {
  if (changes.length > 0)
    await runBatch(
      db,
      changes.map((change) => queryFor(db, change, nowMs)),
    )
}

function queryFor(db: D1Database, change: CatalogueChange, nowMs: number) {
  switch (change.type) {
    case 'add': {
      const { slug, facts, ...placed } = change.model
      return orm(db)
        .insert(model)
        .values({ ...placed, ...facts, model: slug, createdAt: nowMs, updatedAt: nowMs })
        .onConflictDoNothing()
    }
    case 'remove':
      return orm(db).delete(model).where(eq(model.id, change.id))
    case 'mark':
      return orm(db).update(model).set({ unavailable: change.unavailable, updatedAt: nowMs }).where(eq(model.id, change.id))
    case 'update':
      return orm(db)
        .update(model)
        .set({ ...change.facts, updatedAt: nowMs })
        .where(eq(model.id, change.id))
  }
}
