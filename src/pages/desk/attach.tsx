import { useSignal } from '@preact/signals'
import type { Draft, Media } from './drafts.ts'
import { upload } from './requests-of-desk.ts'
import { desk, showError } from './state-of-desk.ts'
import { t } from './words.ts'

const KINDS: readonly Media['kind'][] = ['document', 'image', 'video', 'audio']

function kindOf(type: string): Media['kind'] {
  return KINDS.find((kind) => type.startsWith(`${kind}/`)) ?? 'document'
}

interface AttachProps {
  readonly attach: (media: NonNullable<Draft['media']>) => void
  readonly close: () => void
}

/** Attaches a file by its address, or from this device if the app stores files. */
export function AttachForm({ attach, close }: AttachProps) {
  const url = useSignal('')
  const kind = useSignal<Media['kind']>('document')
  const isAddress = URL.parse(url.value)?.protocol === 'https:'
  const add = () => {
    if (!isAddress) return
    attach({ kind: kind.value, url: url.value })
    close()
  }
  return (
    <div class="card stack attach-form">
      {desk.value?.uploads && <Upload attach={attach} close={close} />}
      <label>
        {t('fileAddress')}
        <input
          type="url"
          dir="ltr"
          maxLength={2_048}
          value={url.value}
          onInput={({ currentTarget }) => (url.value = currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            add()
          }}
        />
      </label>
      <label>
        {t('fileKind')}
        <select
          value={kind.value}
          onChange={({ currentTarget }) => (kind.value = currentTarget.value as Media['kind'])}
        >
          {KINDS.map((one) => (
            <option key={one} value={one}>
              {t(`kind_${one}`)}
            </option>
          ))}
        </select>
      </label>
      <p class="line">
        <button type="button" onClick={close}>
          {t('cancel')}
        </button>
        <button type="button" class="primary" disabled={!isAddress} onClick={add}>
          {t('attach')}
        </button>
      </p>
    </div>
  )
}

function Upload({ attach, close }: AttachProps) {
  const isUploading = useSignal(false)
  const store = async (file: File | undefined) => {
    if (!file) return
    isUploading.value = true
    try {
      attach({ kind: kindOf(file.type), url: await upload(file), name: file.name })
      close()
    } catch (error) {
      showError(error)
    } finally {
      isUploading.value = false
    }
  }
  return (
    <label>
      {t(isUploading.value ? 'uploading' : 'fileUpload')}
      <input
        type="file"
        disabled={isUploading.value}
        onChange={({ currentTarget }) => void store(currentTarget.files?.[0])}
      />
    </label>
  )
}
