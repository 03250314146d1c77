/** The catalogue of models, as clients see it. */
import { json, number, type ReadonlyJSONValue, string, table } from '@rocicorp/zero'
import type { Capability } from '../files/files.ts'

export type Access = 'public' | 'account_required' | 'premium_required'

/** By provider: options of its AI SDK package. */
export type ModelOptions = { readonly [provider: string]: { readonly [option: string]: ReadonlyJSONValue } }

export const model = table('model')
  .columns({
    id: string(),
    name: string(),
    /** The provider's slug of the model. */
    model: string(),
    /** The connection that serves the model: 'gateway', 'openrouter', 'ollama', 'compatible' or 'workers-ai'. */
    provider: string(),
    description: string(),
    capabilities: json<readonly Capability[]>().optional(),
    effort: json<readonly string[]>().optional(),
    /** Icon of the model's maker. */
    icon: string(),
    credits: number().optional(),
    access: string<Access>().optional(),
    inputMicroDollarsPerMillionTokens: number().optional(),
    outputMicroDollarsPerMillionTokens: number().optional(),
    /** Absent: cached input costs as much as other input. */
    cachedInputMicroDollarsPerMillionTokens: number().optional(),
    /** Input and output together. Absent: unknown. */
    contextTokens: number().optional(),
    maxOutputTokens: number().optional(),
    position: number(),
    createdAt: number(),
    updatedAt: number(),
    /** Refusal code if no user can use the model now. The server maintains it for its connections. */
    unavailable: string().optional(),
    /** Absent: requests contain no temperature, because the model rejects it or gets worse with it. */
    temperature: number().optional(),
    /** Provider options of each request, unless the effort is `none`: how the model reasons, and that it returns its reasoning. */
    options: json<ModelOptions>().optional(),
    /** Rows whose models the gateway tries in this order if this one fails. fallbacks.ts decides which of them apply. */
    fallbackIds: json<readonly string[]>().optional(),
  })
  .primaryKey('id')
