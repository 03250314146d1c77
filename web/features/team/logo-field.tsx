/** The logo, cropped in the browser to a small square, so that the row stays small and no metadata of the file is sent. */
import { type ReactNode, useRef, useState } from 'react'
import { logoPx, maxLogoChars } from '../../../worker/contract/limits.ts'
import { isLogo } from '../../../worker/contract/organizations/organization.ts'
import { cx } from '../../lib/cx.ts'
import { Button } from '../../ui/button.tsx'
import { FileInput } from '../../ui/file-input.tsx'
import { t } from './texts/en.ts'

type LogoFieldProps = {
  readonly name: string
  readonly logo: string | null
  readonly mark?: ReactNode
  readonly onChange: (logo: string | null) => void
}

export function LogoField({ name, logo, mark, onChange }: LogoFieldProps) {
  const inputRef = useRef<HTMLInputElement>(null)
  const [problem, setProblem] = useState<string>()
  const choose = async (file: File | undefined) => {
    if (!file) return
    setProblem(undefined)
    try {
      onChange(await squareOf(file))
    } catch {
      setProblem(t('badPicture'))
    }
  }
  return (
    <div>
      <div className="flex items-center gap-2">
        <span className="font-medium">{t('logo')}</span>
        {mark}
      </div>
      <div className="mt-1.5 flex items-center gap-3">
        <OrganizationLogo name={name} logo={logo} className="size-12" />
        <Button size="sm" onClick={() => inputRef.current?.click()}>
          {t(logo ? 'change' : 'choosePicture')}
        </Button>
        {logo && (
          <Button size="sm" variant="ghost" onClick={() => onChange(null)}>
            {t('remove')}
          </Button>
        )}
        <FileInput
          ref={inputRef}
          label={t('logo')}
          accept="image/png,image/jpeg,image/webp"
          isSingle
          onFiles={([file]) => void choose(file)}
        />
      </div>
      {problem && (
        <p role="alert" className="mt-1.5 text-xs text-danger">
          {problem}
        </p>
      )}
    </div>
  )
}

async function squareOf(file: File): Promise<string> {
  const image = await createImageBitmap(file)
  const side = Math.min(image.width, image.height)
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = logoPx
  const context = canvas.getContext('2d')
  if (!context) throw new Error('no canvas')
  context.drawImage(image, (image.width - side) / 2, (image.height - side) / 2, side, side, 0, 0, logoPx, logoPx)
  image.close()
  // A browser that cannot encode WebP returns PNG. A photograph as PNG may be too large, so JPEG is the fallback.
  const found = ['image/webp', 'image/jpeg'].map((type) => canvas.toDataURL(type, 0.85)).find((url) => isLogo(url, maxLogoChars))
  if (!found) throw new Error('too large')
  return found
}

type OrganizationLogoProps = { readonly name: string; readonly logo: string | null | undefined; readonly className?: string }

/** The logo, or the first letter of the name. Hidden from screen readers, because the name follows. */
export function OrganizationLogo({ name, logo, className }: OrganizationLogoProps) {
  const shape = cx('size-9 shrink-0 rounded-lg', className)
  if (logo) return <img src={logo} alt="" className={cx(shape, 'object-cover')} />
  return (
    <span aria-hidden="true" className={cx(shape, 'flex items-center justify-center bg-accent/14 font-semibold text-accent')}>
      {[...name.trim()][0]?.toUpperCase() ?? '·'}
    </span>
  )
}
