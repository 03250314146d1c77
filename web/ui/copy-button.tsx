/** Copies a text and shows a check in place of its icon. A failure is shown in a toast. */
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { copyText } from '../lib/clipboard.ts'
import { IconButton } from './icon-button.tsx'
import { t } from './texts/en.ts'
import { toast } from './toaster.tsx'

const checkShownMs = 1500

/** A state that is true for 1.5 s after each call of the function. */
export function useCopied(): readonly [boolean, () => void] {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), checkShownMs)
    return () => clearTimeout(timer)
  }, [isCopied])
  return [isCopied, () => setCopied(true)]
}

/** `text` is called when the button is pressed. */
export function CopyButton({ label, text, id }: { readonly label: string; readonly text: () => string; readonly id?: string }) {
  const [isCopied, showCopied] = useCopied()
  const copy = async () => {
    if (await copyText(text())) showCopied()
    else toast('error', t('copyDenied'))
  }
  return (
    <>
      <IconButton id={id} size="sm" label={label} onClick={() => void copy()}>
        {isCopied ? <Check /> : <Copy />}
      </IconButton>
      <span role="status" className="sr-only">
        {isCopied && t('copied')}
      </span>
    </>
  )
}
