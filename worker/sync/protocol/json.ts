/** Any JSON value, checked by `JSON.parse` and by nothing else. */
import * as z from 'zod'
import type { Json } from '../engine/types.ts'

export const json = z.custom<Json>((value) => value !== undefined)
