/** Buttons that copy a text and show that it was copied. A failure is shown in a toast. */
import { Check, Copy } from 'lucide-react'
import { type Ref, useEffect, useState } from 'react'
import { copyText } from '../lib/clipboard.ts'
import { Button } from './button.tsx'
import { IconButton } from './icon-button.tsx'
import { t } from './texts/en.ts'
import { toast } from './toaster.tsx'

const checkShownMs = 1500

/** Resolves with true if it copied. */
type Copying = Promise<boolean>

/** A state that is true for 1.5 s after each copy that the function is given. A copy that failed is shown in a toast. */
export function useCopied(): readonly [boolean, (copying: Copying) => Promise<void>] {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), checkShownMs)
    return () => clearTimeout(timer)
  }, [isCopied])
  const show = async (copying: Copying) => {
    if (await copying) setCopied(true)
    else toast('error', t('copyDenied'))
  }
  return [isCopied, show]
}

/** `text` is called when the button is pressed. */
type CopyButtonProps = { readonly label: string; readonly text: () => string }

export function useCopy(text: () => string): { readonly isCopied: boolean; readonly copy: () => Promise<void> } {
  const [isCopied, show] = useCopied()
  return { isCopied, copy: () => show(copyText(text())) }
}

export const CopiedStatus = ({ isCopied }: { readonly isCopied: boolean }) => (
  <span role="status" className="sr-only">
    {isCopied && t('copied')}
  </span>
)

export function CopyButton({ label, text, id }: CopyButtonProps & { readonly id?: string }) {
  const { isCopied, copy } = useCopy(text)
  return (
    <>
      <IconButton id={id} size="sm" label={label} onClick={() => void copy()}>
        {isCopied ? <Check /> : <Copy />}
      </IconButton>
      <CopiedStatus isCopied={isCopied} />
    </>
  )
}

type PrimaryCopyButtonProps = CopyButtonProps & { readonly ref?: Ref<HTMLButtonElement> }

/** With words. */
export function PrimaryCopyButton({ label, text, ref }: PrimaryCopyButtonProps) {
  const { isCopied, copy } = useCopy(text)
  return (
    <>
      <Button ref={ref} variant="primary" className="touch:h-11" onClick={() => void copy()}>
        {isCopied ? t('copied') : label}
      </Button>
      <CopiedStatus isCopied={isCopied} />
    </>
  )
}
