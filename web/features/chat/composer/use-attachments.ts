/** Attachments of the composer: uploaded files, uploads, and one function to add files by click, drop or paste. */
import { useCallback } from 'react'
import { type Refusal, refusals } from '../../../../worker/contract/errors.ts'
import type { AttachedFile } from '../../../../worker/contract/files.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import { useStore } from '../../../lib/store.ts'
import { draftOf } from './drafts.ts'
import { attach, type RefusedFile, type Upload, uploadsFor, uploadsOf } from './uploads.ts'

export type ComposerFiles = {
  readonly files: readonly AttachedFile[]
  readonly uploads: readonly Upload[]
  readonly add: (files: readonly File[]) => void
}

/** `report` receives the reason when a file is rejected. */
export function useAttachments(draftKey: string, report: (refusal: Refusal) => void): ComposerFiles {
  const { files, editing } = useStore(draftOf(draftKey))
  const uploads = uploadsFor(useStore(uploadsOf(draftKey)), editing?.messageId ?? null)
  const add = useCallback(
    async (chosen: readonly File[]) => {
      if (chosen.length === 0) return
      if (!pageSettings.files) return report({ code: 'files_unavailable', message: refusals.files_unavailable })
      const refused = await attach(draftKey, chosen)
      const [first] = refused
      if (first) report({ code: first.refusal.code, message: refusedText(refused) })
    },
    [draftKey, report],
  )
  return { files, uploads, add: (chosen) => void add(chosen) }
}

/** Each reason once, with its files. */
export const refusedText = (refused: readonly RefusedFile[]): string =>
  [...Map.groupBy(refused, ({ refusal }) => refusal.code).values()].map(sentenceFor).join(' ')

function sentenceFor(alike: readonly RefusedFile[]): string {
  const [first, ...others] = alike
  if (!first) return ''
  const { code, message } = first.refusal
  if (code === 'too_many_files') return `${message} ${omittedText(alike)}`
  return `${first.name}: ${message}${others.length === 0 ? '' : ` The same goes for ${others.length} more.`}`
}

const mostNamed = 3

const omittedText = (files: readonly RefusedFile[]): string =>
  files.length <= mostNamed ? `Left out: ${files.map(({ name }) => name).join(', ')}.` : `${files.length} files were left out.`
