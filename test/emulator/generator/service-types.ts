// Generated from the emulator’s openapi.json by openapi-typescript. To update: npx vitest run test/emulator/generated-client.test.ts --update=all
export interface paths {
    "/api/v2/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message
         * @description A 200 means accepted; message.status tells what happened next. Free-form types need an open 24-hour window.
         */
        post: operations["sendMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the templates of the connected number, newest first
         * @description Read until has_more is false.
         */
        get: operations["listTemplates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        SendMessageIn: {
            to: string;
            type?: components["schemas"]["MessageType"];
            text?: string | null;
            interactive?: components["schemas"]["InteractiveIn"] | null;
            template_name?: string | null;
            template_language?: string | null;
            template_components?: components["schemas"]["TemplateComponentIn"][] | null;
            /** Format: uri */
            media_url?: string | null;
            media_caption?: string | null;
            media_filename?: string | null;
        };
        /**
         * @default text
         * @enum {string}
         */
        MessageType: "text" | "template" | "image" | "document" | "video" | "audio" | "interactive";
        InteractiveIn: {
            /** @enum {string} */
            type: "buttons" | "list" | "cta_url";
            body: string;
            footer?: string | null;
            buttons?: {
                id: string;
                title: string;
            }[];
            button_text?: string | null;
            sections?: {
                title?: string | null;
                rows: {
                    id: string;
                    title: string;
                    description?: string | null;
                }[];
            }[];
            cta?: {
                display_text: string;
                /** Format: uri */
                url: string;
            } | null;
        };
        TemplateComponentIn: {
            /** @enum {string} */
            type: "header" | "body" | "button";
            /** @enum {string} */
            sub_type?: "url" | "quick_reply";
            index?: string;
            parameters?: components["schemas"]["TemplateParameterIn"][];
        };
        TemplateParameterIn: {
            /** @constant */
            type: "text";
            text: string;
        } | {
            /** @constant */
            type: "payload";
            payload: string;
        } | {
            /** @constant */
            type: "image";
            image: {
                /** Format: uri */
                link: string;
                filename?: string;
            };
        } | {
            /** @constant */
            type: "video";
            video: {
                /** Format: uri */
                link: string;
                filename?: string;
            };
        } | {
            /** @constant */
            type: "document";
            document: {
                /** Format: uri */
                link: string;
                filename?: string;
            };
        };
        MessageOut: {
            id: string;
            direction: string;
            message_type: string;
            /** Format: date-time */
            created_at: string;
            content?: string | null;
            status?: string | null;
            source?: string | null;
            wa_message_id?: string | null;
            media_url?: string | null;
            media_mime_type?: string | null;
            media_filename?: string | null;
            media_duration_ms?: number | null;
            interactive?: components["schemas"]["InteractiveOut"] | null;
            /** Format: date-time */
            sent_at?: string | null;
            /** Format: date-time */
            delivered_at?: string | null;
            /** Format: date-time */
            read_at?: string | null;
            /** Format: date-time */
            played_at?: string | null;
            /** Format: date-time */
            failed_at?: string | null;
            failure_reason?: string | null;
            template_name?: string | null;
            redacted?: boolean | null;
            referral?: unknown;
        };
        InteractiveOut: {
            type?: string;
            body?: string;
            footer?: string;
            buttons?: {
                id: string;
                title: string;
            }[];
            button_text?: string;
            sections?: {
                title?: string | null;
                rows: {
                    id: string;
                    title: string;
                    description?: string | null;
                }[];
            }[];
            cta?: {
                display_text: string;
                url: string;
            };
        };
        TemplateOut: {
            id: string;
            name: string;
            language: string;
            category: string;
            status: string;
            sendable: boolean;
            /** @default null */
            unsendable_reason: string | null;
            /** @default [] */
            components: {
                [key: string]: unknown;
            }[];
            quality_score?: string | null;
            /** Format: date-time */
            approved_at?: string | null;
            /** Format: date-time */
            status_changed_at?: string | null;
        };
        TemplatePage: {
            items: components["schemas"]["TemplateOut"][];
            /** @default null */
            next_cursor: string | null;
            /** @default false */
            has_more: boolean;
        };
        /** @description Branch on code; message may be reworded. A mismatch of template parameters has no code. */
        Error: {
            code?: string;
            message: string;
            /** @description With ambiguous_number. */
            phone_number_ids?: string[];
        };
        ValidationErrors: {
            detail: {
                loc: (string | number)[];
                msg: string;
                type: string;
            }[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    sendMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description One per message, derived from its subject. A repeat with the same body is replayed. */
                "Idempotency-Key"?: string;
                /** @description Names the number, if several share one token. */
                "X-Phone-Number-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendMessageIn"];
            };
        };
        responses: {
            /** @description Accepted. */
            200: {
                headers: {
                    /** @description true if the first answer under this key is replayed; nothing was sent again. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageOut"];
                };
            };
            /** @description `invalid_template` (retry: no), `ambiguous_number` (retry: no), or no code */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_authenticated` (retry: no) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `plan_feature_locked` (retry: no), `plan_limit_reached` (retry: no) */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `number_not_for_token` (retry: no), `account_suspended` (retry: no) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `outside_messaging_window` (retry: no), `idempotency_in_progress` (retry: pause) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_key_reused` (retry: no), `invalid_one_time_code` (retry: no), `template_not_found` (retry: no), `validation_error` (retry: no), or an array of details */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] | components["schemas"]["ValidationErrors"];
                };
            };
            /** @description `rate_limited` (retry: backoff) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` (retry: backoff) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `send_failed` (retry: cautious) */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTemplates: {
        parameters: {
            query?: {
                /** @description true: only templates that can be sent now; false: only the others. */
                sendable?: boolean;
                /** @description next_cursor of the previous page. */
                cursor?: string;
                /** @description The number of templates on a page. */
                limit?: number;
            };
            header?: {
                /** @description Names the number, if several share one token. */
                "X-Phone-Number-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplatePage"];
                };
            };
            /** @description `invalid_template` (retry: no), `ambiguous_number` (retry: no), or no code */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_authenticated` (retry: no) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `plan_feature_locked` (retry: no), `plan_limit_reached` (retry: no) */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `number_not_for_token` (retry: no), `account_suspended` (retry: no) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_key_reused` (retry: no), `invalid_one_time_code` (retry: no), `template_not_found` (retry: no), `validation_error` (retry: no), or an array of details */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] | components["schemas"]["ValidationErrors"];
                };
            };
            /** @description `internal_error` (retry: backoff) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
