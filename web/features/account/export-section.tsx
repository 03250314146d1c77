/** Downloads the user's data as one file, or shows why the server refused. */
import { useState } from 'react'
import { refusalIn } from '../../../worker/contract/errors.ts'
import { publicUrls } from '../../lib/public-urls.ts'
import { refusalSentence } from '../../lib/refusals/sentence.ts'
import { saveFile } from '../../lib/save-file.ts'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/section.tsx'
import { toastWhile } from '../../ui/toaster.tsx'
import { t } from './texts/en.ts'

/** Resolves with null, or with the sentence of a refusal. A link could not show that sentence: it would download the refusal as a file. */
async function downloadExport(save: (file: Blob, name: string) => void): Promise<string | null> {
  try {
    const response = await fetch(`${publicUrls().apiUrl}/api/account/export`, { credentials: 'include' })
    if (!response.ok) return refusalSentence(refusalIn(await response.json().catch(() => null)))
    const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1]
    save(await response.blob(), name ?? 'parley.json')
    return null
  } catch {
    return t('downloadInterrupted')
  }
}

export function ExportSection() {
  const [isPending, setPending] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const download = async () => {
    setPending(true)
    setProblem(null)
    setProblem(await toastWhile(t('preparingData'), downloadExport(saveFile)))
    setPending(false)
  }
  return (
    <Section title={t('yourData')} description={t('yourDataDescription')}>
      <Button pending={isPending} onClick={() => void download()}>
        {t('downloadData')}
      </Button>
      {problem !== null && (
        <p role="alert" className="mt-2 text-danger text-pretty">
          {problem}
        </p>
      )}
    </Section>
  )
}
