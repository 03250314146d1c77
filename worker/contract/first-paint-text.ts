/** The type of a translator for the texts in `texts/`, in any language. */
import type { createTranslator } from 'use-intl/core'
import type { en } from './texts/en.ts'

export type FirstPaintText = ReturnType<typeof createTranslator<typeof en>>
