/** Rows and findings with defaults, so that a test names only relevant fields. */
import type { FoundModel } from '../../worker/chat/catalog/discovery.ts'
import type { CatalogueRow, ModelListing } from '../../worker/db/catalogue.ts'
import { catalogueRows } from './migrated-db.ts'

export const found = (slug: string, details: Partial<NonNullable<FoundModel['details']>> = {}): FoundModel => ({
  slug,
  details: {
    ...{ name: null, capabilities: [], effort: null, prices: null, contextTokens: null, maxOutputTokens: null, createdAtS: 0 },
    ...details,
  },
})

export const row = (id: string, provider: string, slug: string, unavailable: string | null = null): CatalogueRow => ({
  id,
  provider,
  slug,
  unavailable,
  listing: {
    name: slug,
    description: described[provider] ?? 'A model',
    capabilities: [],
    effort: null,
    credits: 1,
    access: 'public',
    inputMicroDollarsPerMillionTokens: null,
    cachedInputMicroDollarsPerMillionTokens: null,
    outputMicroDollarsPerMillionTokens: null,
    contextTokens: null,
    maxOutputTokens: null,
    temperature: null,
  },
})

/** As in rows that were discovered. */
const described: { readonly [provider: string]: string } = {
  openrouter: 'By way of OpenRouter.',
  ollama: 'Installed on the Ollama that this installation is connected to.',
  compatible: 'Served by the server that this installation is connected to.',
}

/** The catalogue of the migrations, as a refresh reads it. */
export const migratedRows = (): CatalogueRow[] =>
  catalogueRows().map((model) => ({
    id: model.id,
    provider: model.provider,
    slug: model.model,
    unavailable: model.unavailable ?? null,
    listing: Object.fromEntries(Object.keys(row('', '', '').listing).map((key) => [key, model[key as keyof typeof model]])) as ModelListing,
  }))
