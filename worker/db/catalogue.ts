/** The model catalogue: availability of models, and models of connected servers. */
import { eq, isNull } from 'drizzle-orm'
import type { RefusalCode } from '../contract/errors.ts'
import { orm, runBatch } from './shards.ts'
import { model } from './tables/catalogue.ts'

const { name, description, capabilities, effort, credits, access, temperature, maxOutputTokens } = model
const { inputMicroDollarsPerMillionTokens, cachedInputMicroDollarsPerMillionTokens, outputMicroDollarsPerMillionTokens, contextTokens } =
  model
const listingColumns = {
  ...{ name, description, capabilities, effort, credits, access, temperature, maxOutputTokens },
  ...{ inputMicroDollarsPerMillionTokens, cachedInputMicroDollarsPerMillionTokens, outputMicroDollarsPerMillionTokens, contextTokens },
}

/** The columns that a provider's server reports. */
export type ModelListing = Readonly<Pick<typeof model.$inferSelect, keyof typeof listingColumns>>

const valuesOf = (listing: ModelListing) => Object.keys(listingColumns).map((column) => listing[column as keyof ModelListing])

export const isSameListing = (a: ModelListing, b: ModelListing): boolean => JSON.stringify(valuesOf(a)) === JSON.stringify(valuesOf(b))

export type CatalogueRow = {
  readonly id: string
  readonly slug: string
  readonly provider: string
  readonly unavailable: string | null
  readonly listing: ModelListing
}

export const readCatalogue = (db: D1Database): Promise<readonly CatalogueRow[]> =>
  orm(db)
    .select({ id: model.id, slug: model.model, provider: model.provider, unavailable: model.unavailable, listing: listingColumns })
    .from(model)

/** Models that users can choose now. */
export const readAvailableModels = (db: D1Database) => orm(db).select().from(model).where(isNull(model.unavailable))

type NewModel = {
  readonly id: string
  readonly slug: string
  readonly provider: string
  readonly icon: string
  readonly position: number
  readonly listing: ModelListing
}

export type CatalogueChange =
  | { readonly type: 'add'; readonly model: NewModel }
  | { readonly type: 'remove'; readonly id: string }
  | { readonly type: 'mark'; readonly id: string; readonly unavailable: RefusalCode | null }
  | { readonly type: 'update'; readonly id: string; readonly listing: ModelListing }

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
      const { slug, listing, ...placed } = change.model
      return orm(db)
        .insert(model)
        .values({ ...placed, ...listing, model: slug, createdAt: nowMs, updatedAt: nowMs })
        .onConflictDoNothing()
    }
    case 'remove':
      return orm(db).delete(model).where(eq(model.id, change.id))
    case 'mark':
      return orm(db).update(model).set({ unavailable: change.unavailable, updatedAt: nowMs }).where(eq(model.id, change.id))
    case 'update':
      return orm(db)
        .update(model)
        .set({ ...change.listing, updatedAt: nowMs })
        .where(eq(model.id, change.id))
  }
}
